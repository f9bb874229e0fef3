#!/usr/bin/env node
/*
 * What the `loadfleet` command starts. It checks the Node version before anything that an old Node cannot parse is
 * loaded, then hands over to main. Nothing else belongs here.
 */
'use strict';

require('./require-node.cjs');
import('./main.ts');
