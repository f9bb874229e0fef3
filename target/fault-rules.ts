/**
 * The fault rules in force, and the choice of what befalls each request. The choice is keyed by the request's own words, not by
 * chance of the moment, so a repeated run meets the same faults. Pure but for its counters of requests seen.
 */

import { assertNever } from '../shared/assert-never.ts';
import type { Seed } from '../shared/random/seed.ts';
import type { BreakFault, FaultRule, FaultScope, FaultStart, MomentFault, TwistFault } from './fault.ts';
import { furtherUnit, type RequestWords } from './request-draw.ts';

/** What befalls one request. */
export interface RequestFaults {
  readonly twists: TwistFault[];
  /** The one way its answer fails; null = it does not. */
  broken: BreakFault | null;
  /** Moments that begin with this request. */
  readonly moments: MomentFault[];
}

/** Draw purposes (see furtherUnit): 0 makes the body length, 1 is the one draw that all breaks share, from 16 on one per rule. */
const BREAK_PURPOSE = 1;
const FIRST_TWIST_PURPOSE = 16;
/** Rules of a query string draw apart from the rules of the target. */
const FIRST_QUERY_PURPOSE = 0x8000_0000;

/** Most rules at a time; each costs every request a little. */
export const MAX_RULES = 64;

interface ActiveRule {
  readonly rule: FaultRule;
  readonly purpose: number;
  /** Requests of its path since it was set. */
  seen: number;
  /** Requests it has befallen. */
  befallen: number;
}

/** The rules that hold at a target. */
export class FaultRules {
  readonly #seed: Seed;
  #rules: ActiveRule[] = [];
  #added = 0;

  constructor(seed: Seed) {
    this.#seed = seed;
  }

  /** True while no rule concerns requests: the target may then take its fast path. */
  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** The rules in force, oldest first. */
  get rules(): readonly FaultRule[] {
    return this.#rules.map((active) => active.rule);
  }

  /** Adds a rule. False, and not added, when MAX_RULES are in force. */
  add(rule: FaultRule): boolean {
    if (this.#rules.length >= MAX_RULES) return false;
    this.#rules.push({ rule, purpose: FIRST_TWIST_PURPOSE + this.#added++, seen: 0, befallen: 0 });
    return true;
  }

  clear(): void {
    this.#rules = [];
  }

  /** Decides what befalls the next request, of this path and with these words; counts it. */
  choose(path: string, words: RequestWords): RequestFaults {
    const faults: RequestFaults = { twists: [], broken: null, moments: [] };
    const breakUnit = furtherUnit(this.#seed, words, BREAK_PURPOSE);
    let breakShares = 0;
    for (const active of this.#rules) {
      const { rule } = active;
      switch (rule.kind) {
        case 'lasting':
          break;
        case 'moment':
          active.seen++;
          if (isFirstOf(rule.start, active.seen)) faults.moments.push(rule.fault);
          break;
        case 'twist':
          if (isFor(rule.scope, path, active) && this.#isChosen(words, active.purpose, rule.scope.share)) {
            active.befallen++;
            faults.twists.push(rule.fault);
          }
          break;
        case 'break':
          if (!isFor(rule.scope, path, active)) break;
          if (faults.broken === null && breakUnit >= breakShares && breakUnit < breakShares + rule.scope.share) {
            active.befallen++;
            faults.broken = rule.fault;
          }
          breakShares += rule.scope.share;
          break;
        default:
          assertNever(rule);
      }
    }
    return faults;
  }

  /** Adds what a request asks for itself in its query string: its twists come on top, its break goes first. */
  chooseOwn(rules: readonly FaultRule[], words: RequestWords, into: RequestFaults): void {
    rules.forEach((rule, place) => {
      if (rule.kind !== 'twist' && rule.kind !== 'break') return;
      if (!this.#isChosen(words, FIRST_QUERY_PURPOSE + place, rule.scope.share)) return;
      if (rule.kind === 'twist') into.twists.push(rule.fault);
      else into.broken = rule.fault;
    });
  }

  #isChosen(words: RequestWords, purpose: number, share: number): boolean {
    return share >= 1 || furtherUnit(this.#seed, words, purpose) < share;
  }
}

/** Counts the request for its rule, and tells whether the rule may befall it. */
function isFor(scope: FaultScope, path: string, active: ActiveRule): boolean {
  if (scope.path !== null && scope.path !== path) return false;
  active.seen++;
  return active.seen >= scope.from && (scope.count === null || active.befallen < scope.count);
}

function isFirstOf(start: FaultStart, seen: number): boolean {
  return start.kind === 'request' && start.number === seen;
}
