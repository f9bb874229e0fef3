/** The plan's flags as options of a command. */

import type { Command } from 'commander';
import { type FlagValues, PLAN_FLAGS } from '../shared/plan/plan-flags.ts';

/** Adds every flag that changes a plan. Values are collected, so that one given twice can be refused. */
export function addPlanOptions(command: Command): Command {
  const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    value,
  ];
  for (const { name, argument, meaning } of PLAN_FLAGS) {
    if (argument === null) command.option(`--${name}`, meaning);
    else command.option(`--${name} <${argument}>`, meaning, collect);
  }
  return command;
}

/** The flags that were given, from what commander read. */
export function planFlagsOf(options: Readonly<Record<string, unknown>>): FlagValues {
  const flags = new Map<string, readonly string[]>();
  for (const { name } of PLAN_FLAGS) {
    const value = options[name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase())];
    if (value === true) flags.set(name, ['true']);
    else if (Array.isArray(value)) flags.set(name, value as readonly string[]);
  }
  return flags;
}
