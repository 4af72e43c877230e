# Tests that take long, and more cases of those that make their own.

tests 'long tests' node build/tests/support/run.js --long
tests 'the checks of a hundred servers, which report no error' env RESTPOINT_CASES=100 node build/tests/support/run.js checks/checks
tests 'twenty thousand strings that are not JSON' env RESTPOINT_CASES=5000 node build/tests/support/run.js http/json-position
tests 'four thousand tables of routes' env RESTPOINT_CASES=4000 node build/tests/support/run.js router.property
tests 'a thousand endpoints and their discovery' env RESTPOINT_CASES=1000 node build/tests/support/run.js discovery.property
tests 'twenty rounds of stops, and ten of hostile senders' env RESTPOINT_CASES=20 node build/tests/support/run.js connection/drain.test connection/hostile-senders
