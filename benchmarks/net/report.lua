-- SPDX-License-Identifier: MIT
-- Has wrk print what http.c reads: requests, microseconds, errors, p50 and p99.

function done(summary, latency)
    local e = summary.errors
    io.write(string.format("report %d %d %d %d %d\n", summary.requests, summary.duration,
        e.connect + e.read + e.write + e.status + e.timeout,
        latency:percentile(50), latency:percentile(99)))
end
