# Tools of development and of operation, and other frameworks.

packages tests/compat
packages tests/compat/comparison
tests 'tools' node tests/compat/run.js .tool.js
