tests "npm test on Node $(node -p process.versions.node)" npm test
