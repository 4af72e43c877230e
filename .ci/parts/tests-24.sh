tests 'tests on Node 24' on_node 24 build/tests/support/run.js --engine
