tests 'tests over connections in memory' env RESTPOINT_TRANSPORT=memory node build/tests/support/run.js
