#!/usr/bin/env node
/*
 * What the `loadfleet` command starts. It checks the Node version before anything that an old Node cannot parse is
 * loaded, turns on Node's compile cache, then hands over to main. Nothing else belongs here.
 */
'use strict';

require('./require-node.cjs');
// A fleet starts several processes and threads from the same files: what one has compiled the others read. Worker threads are
// told of the cache by their environment alone.
const { enableCompileCache } = require('node:module');
const { directory } = enableCompileCache();
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
import('./main.ts');
