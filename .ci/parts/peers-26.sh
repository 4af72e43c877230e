packages tests/compat
tests 'peers on Node 26' on_node 26 tests/compat/run.js .peer.js
