# The tests that need no more than the package, on the package as it is installed.

check 'npm pack' once pack pack
check 'the package installs into another project' once consume consume
cp -r build "$consumer/tests"
check 'those that need more of src than its index are left out' node .ci/packed-tests.js "$consumer/tests"
head -n 1 "$log"
mkdir -p "$consumer/examples"
cp examples/zoo.openapi.json "$consumer/examples"
tests 'the others, on the package and Node 22' in_consumer on_node 22 tests/tests/support/run.js --engine
