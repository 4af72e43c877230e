packages tests/compat
tests_if_possible 'in Chromium' node tests/compat/browser.js
