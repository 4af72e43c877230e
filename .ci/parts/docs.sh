# The site of the documents, and the public surface as its tools see it.

packages tests/compat
packages scripts/docs
check 'npm run docs' npm run --ignore-scripts docs
tests_if_possible 'the site of the documents, in Chromium' node tests/compat/browser-docs.js

packages scripts/api
check 'pages are made of its docstrings' node scripts/api/pages.js
check 'JSR would take it' node scripts/api/jsr.js --dry-run
check 'the workflows would run' node scripts/api/workflows.js
