# Programs of the docs over PostgreSQL, whose processes are killed and whose provider fails. They wait for most of their time.

packages tests/compat
tests_if_possible 'payments, jobs and webhooks over PostgreSQL' npm run --silent --ignore-scripts test:postgres -- '^(?:jobs|payments|webhooks|eight)'
