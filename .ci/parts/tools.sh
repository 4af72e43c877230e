# Tools of development and of operation, and other frameworks.

packages tests/compat
tests 'tools' node tests/compat/run.js .tool.js
