module tuco.bench/peers/go

go 1.25
