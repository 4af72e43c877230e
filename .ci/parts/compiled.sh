# What `npm test` compiles, for a run without it.

check 'npm install' npm install
check 'npm run pretest' npm run pretest
