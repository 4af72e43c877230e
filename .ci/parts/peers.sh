# Other engines, and libraries that call this one or are called by it.

packages tests/compat
tests "peers on Node $(node -p process.versions.node)" node tests/compat/run.js .peer.js
