/** An option of one value that is given twice is refused: of the two, one would be left out without a word (R089). */

import type { Command } from 'commander';
import { FleetError } from '../shared/fleet-error.ts';

/**
 * Watches the options of `command` and of all its verbs. Options whose values are collected are judged by those who read them; one that
 * is just there says the same twice. While the arguments are read it throws FleetError 'usage'.
 */
export function refuseRepeated(command: Command): void {
  for (const verb of command.commands) refuseRepeated(verb);
  for (const option of command.options) {
    if (!option.required) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven && !isCollection(command.getOptionValue(option.attributeName()))) {
        throw new FleetError('usage', `${option.long ?? option.flags} is given more than once; give it once`);
      }
      isGiven = true;
    });
  }
}

/** Texts as they came; other lists are read from one text. */
function isCollection(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
