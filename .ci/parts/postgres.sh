packages tests/compat
tests_if_possible 'the store, and zoos that restart and crash' npm run --silent --ignore-scripts test:postgres
tests_if_possible 'rate limits that processes share, in PostgreSQL and Redis' node build/tests/rates/run.js
