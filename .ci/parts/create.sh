# A new project, by the README and by `npm create restpoint`.

packages tests/compat
check 'npm pack' once pack pack
check 'what the README says, in an empty folder' on_node 24 .ci/first-program.js "$packed"/restpoint-*.tgz
tests 'npm create restpoint, in an empty folder' node tests/create/run.js "$packed"/restpoint-*.tgz "$packed"/create-restpoint-*.tgz
