/*
 * Stops with a clear sentence where the running Node is too old for loadfleet.
 * Old syntax on purpose: this file must parse, and run, on the Node versions that it refuses.
 */
'use strict';

var OLDEST_MAJOR = 24;
var running = process.versions.node;

if (Number(running.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(
    'loadfleet needs Node.js ' +
      OLDEST_MAJOR +
      ' or newer, but this is Node.js ' +
      running +
      ' (' +
      process.execPath +
      ').\n' +
      'In a checkout, "npm ci" installs the right one for the npm scripts, unless install scripts are switched off.\n',
  );
  process.exit(2);
}
