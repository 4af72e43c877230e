packages tests/compat
tests_if_possible 'the stores of PostgreSQL' npm run --silent --ignore-scripts test:postgres -- '^(?!jobs|payments|webhooks|eight)'
tests_if_possible 'rate limits that processes share, in PostgreSQL and Redis' node build/tests/rates/run.js
