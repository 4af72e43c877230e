tests 'tests over TLS' node build/tests/support/run.js --tls
