tests 'tests on Node 26' on_node 26 build/tests/support/run.js --engine
