/**
 * Puts values of the environment into a plan's texts, at every depth and before any text gets a type (R087):
 *   ${NAME}            the variable; unset or empty is an error
 *   ${NAME:-default}   the default where it is unset or empty (the default may be empty)
 *   ${secret:NAME}     the variable, marked as secret whatever its name
 *   ${file:PATH}       the content of a file without its last line break, always secret
 *   $$                 one dollar sign; a dollar before anything else is itself
 * A value is never read again, so what is in it cannot be YAML, another variable or a template. Variables whose names look like
 * secrets (`isSecretUnder`) are marked too; secret values are collected for the redactor (R106).
 */

import { FleetError } from '../fleet-error.ts';
import { nearestName } from '../nearest-name.ts';
import { type PlanNode, pathOf, type ScalarNode } from './plan-node.ts';
import { type ProblemList, quoted } from './problem-list.ts';
import { isSecretUnder } from './secret-names.ts';

/** Where values come from. */
export interface VariableSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Content of a secret file as text. @throws FleetError when it cannot be read. */
  readonly readSecretFile: (path: string) => string;
}

/** Most characters of one text after substitution. */
const TEXT_MAX = 1_048_576;
const FORM = '${NAME}, ${NAME:-default}, ${secret:NAME} or ${file:PATH}; a plain dollar sign before { is written $$';
const NAME_FORM = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The tree with every variable in every value replaced. Keys are left alone: a variable in a key is a problem.
 * @param secrets receives the values of secret variables and files.
 */
export function substituteVariables(
  root: PlanNode,
  sources: VariableSources,
  problems: ProblemList,
  secrets: Set<string>,
): PlanNode {
  return new Substitution(sources, problems, secrets).inNode(root, '');
}

/** What a reference stands for. */
interface Resolved {
  readonly text: string;
  readonly variable: string;
  readonly secret: boolean;
}

class Substitution {
  readonly #sources: VariableSources;
  readonly #problems: ProblemList;
  readonly #secrets: Set<string>;

  constructor(sources: VariableSources, problems: ProblemList, secrets: Set<string>) {
    this.#sources = sources;
    this.#problems = problems;
    this.#secrets = secrets;
  }

  inNode(node: PlanNode, path: string): PlanNode {
    if (node.kind === 'scalar') return node.text.includes('$') ? this.#inScalar(node, path) : node;
    if (node.kind === 'sequence') {
      return { ...node, items: node.items.map((item, index) => this.inNode(item, pathOf(path, index))) };
    }
    const entries = node.entries.map((entry) => {
      const at = pathOf(path, entry.key);
      if (entry.key.includes('${')) {
        this.#problems.add(at, entry.keyOrigin, 'variables are replaced in values, not in keys');
      }
      return { ...entry, value: this.inNode(entry.value, at) };
    });
    return { ...node, entries };
  }

  #inScalar(node: ScalarNode, path: string): ScalarNode {
    const pieces: string[] = [];
    const variables: string[] = [...node.variables];
    let { secret, unresolved } = node;
    let from = 0;
    for (let at = node.text.indexOf('$'); at >= 0; at = node.text.indexOf('$', from)) {
      pieces.push(node.text.slice(from, at));
      const next = node.text[at + 1];
      if (next !== '{') {
        pieces.push('$');
        from = at + (next === '$' ? 2 : 1);
        continue;
      }
      const end = node.text.indexOf('}', at);
      if (end < 0) {
        this.#problems.add(path, node.origin, `\${ without its closing brace; write ${FORM}`);
        return { ...node, text: '', unresolved: true };
      }
      const resolved = this.#resolve(node.text.slice(at + 2, end), node, path);
      if (resolved === null) {
        unresolved = true;
      } else {
        pieces.push(resolved.text);
        variables.push(resolved.variable);
        secret ||= resolved.secret;
      }
      from = end + 1;
    }
    pieces.push(node.text.slice(from));
    const text = pieces.join('');
    if (text.length <= TEXT_MAX) return { ...node, text, variables, secret, unresolved };
    this.#problems.add(path, node.origin, `has ${text.length} characters with its variables, the limit is ${TEXT_MAX}`);
    return { ...node, text: '', unresolved: true };
  }

  /** The value of what stands between the braces; null after a problem. */
  #resolve(reference: string, node: ScalarNode, path: string): Resolved | null {
    if (reference.startsWith('file:')) return this.#readFile(reference.slice('file:'.length), node, path);
    const [, marker, name = '', fallback] = /^(secret:)?(.*?)(?::-(.*))?$/s.exec(reference) ?? [];
    if (!NAME_FORM.test(name)) {
      this.#problems.add(path, node.origin, `${quoted(`\${${reference}}`)} is not a variable; write ${FORM}`);
      return null;
    }
    const value = Object.hasOwn(this.#sources.environment, name) ? this.#sources.environment[name] : undefined;
    const isSecret = marker !== undefined || isSecretUnder(name, value ?? '');
    if (value === undefined || value === '') {
      if (fallback !== undefined) return this.#fallback(name, fallback, marker !== undefined);
      this.#problems.add(path, node.origin, this.#missingSentence(name, value));
      return null;
    }
    if (isSecret) this.#secrets.add(value);
    return { text: value.toWellFormed(), variable: name, secret: isSecret };
  }

  /** What stands for a secret is one too: a password written there for tries opens the same door (R106). An empty text hides nothing. */
  #fallback(name: string, text: string, isMarked: boolean): Resolved {
    const secret = text !== '' && (isMarked || isSecretUnder(name, text));
    if (secret) this.#secrets.add(text);
    return { text, variable: name, secret };
  }

  #readFile(path: string, node: ScalarNode, planPath: string): Resolved | null {
    try {
      const text = this.#sources.readSecretFile(path).replace(/\r?\n$/, '');
      if (text !== '') this.#secrets.add(text);
      if (text !== '') return { text, variable: `file:${path}`, secret: true };
      this.#problems.add(planPath, node.origin, `the secret file ${quoted(path)} is empty`);
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      this.#problems.add(planPath, node.origin, error.message);
    }
    return null;
  }

  #missingSentence(name: string, value: string | undefined): string {
    if (value === '') return `the variable ${name} is set but empty; write \${${name}:-} where that is right`;
    const nearest = nearestName(name, Object.keys(this.#sources.environment));
    const meant = nearest === null ? '' : `, did you mean ${nearest}?`;
    return `the variable ${name} is not set${meant} (a default is written \${${name}:-value})`;
  }
}
