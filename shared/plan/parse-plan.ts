/**
 * The border where a plan gets its meaning: from the tree of texts to a typed `Plan` with its files, its secrets and the
 * effective YAML. Everything wrong is listed at once in one FleetError; after that nothing is checked again. Pure: files, hash,
 * environment and seed come in as arguments.
 */

import { FleetError } from '../fleet-error.ts';
import { LATER_TURNS_COLUMN } from '../llm-workload/later-turns.ts';
import { assemblePlan } from './assemble-plan.ts';
import { assignRows } from './assign-rows.ts';
import { buildDataset, withDatasetPrompt } from './build-dataset.ts';
import { buildPhases } from './build-phases.ts';
import { buildRequests, type BuiltRequests, type PlacedRequest } from './build-requests.ts';
import { checkGoodput, checkLlmBounds } from './check-bounds.ts';
import { checkRows } from './check-rows.ts';
import { readDataTable, type DataTable } from './data-rows.ts';
import type { DatasetText } from './dataset-grammar.ts';
import { formatEffectiveYaml } from './effective-yaml.ts';
import { addFurtherProblems } from './further-problems.ts';
import { secretsOfRequest, secretsOfUrl } from './find-secrets.ts';
import { pathsOfKeys, planField, type PlanText } from './plan-grammar.ts';
import type { PlanBundle, RequestTemplate, RowMode, DataRows } from './plan.ts';
import { INVALID } from './plan-field.ts';
import type { MappingNode } from './plan-node.ts';
import { BlobCollector, type PlanSources } from './plan-sources.ts';
import { planWarnings } from './plan-warnings.ts';
import { ProblemList } from './problem-list.ts';
import { DIRECT, proxyOfTarget, secretsOfProxy } from './proxy-setting.ts';
import { createRedactor } from './redact-secrets.ts';
import { buildScrapes } from './scrape-grammar.ts';
import { substituteVariables } from './substitute-variables.ts';

/** A plan ready to run. */
export interface ParsedPlan extends PlanBundle {
  /** Service law of the reference target that the plan wants started (`target.reference`); null for a target of its own. */
  readonly reference: string | null;
  /** What is allowed but worth a word. */
  readonly warnings: readonly string[];
}

/** How the tree is to be read. */
export interface ParseOptions {
  /** File name or `command line`, for messages. */
  readonly source: string;
  /** `name` where the plan has none. */
  readonly defaultName: string;
  /** URL of the started reference target; until it is started any URL stands for it. */
  readonly referenceUrl: string | null;
}

/** Stands for the URL of the reference target until it runs. */
export const REFERENCE_PLACEHOLDER = 'http://127.0.0.1:1';

/**
 * Reads the plan. `root` holds the texts of file, environment and flags, with their variables still in them.
 * @throws FleetError 'plan' that lists every problem with place, path, value and limit; free of secrets.
 */
export function parsePlan(root: MappingNode, sources: PlanSources, options: ParseOptions): ParsedPlan {
  const problems = new ProblemList(pathsOfKeys());
  const secrets = new Set<string>();
  const tree = substituteVariables(root, sources, problems, secrets) as MappingNode;
  try {
    const text = planField.read(tree, '', problems);
    if (text === INVALID) {
      addFurtherProblems(tree, new BlobCollector(sources), problems);
      throw unreadable(problems, options.source);
    }
    return new PlanBuilder(text, tree, { sources, options, problems, secrets }).build();
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    throw new FleetError(error.code, createRedactor([...secrets])(error.message), { cause: error.cause });
  }
}

function unreadable(problems: ProblemList, source: string): FleetError {
  problems.throwIfAny(source);
  return new FleetError('internal', `${source}: a field was refused without a reason`);
}

/** The plan's rows, as they travel and as they are checked. */
interface ReadData {
  readonly data: DataRows;
  readonly table: DataTable;
  readonly instants: (speed: number) => Float64Array | null;
}

interface BuildContext {
  readonly sources: PlanSources;
  readonly options: ParseOptions;
  readonly problems: ProblemList;
  readonly secrets: Set<string>;
}

class PlanBuilder {
  readonly #text: PlanText;
  readonly #tree: MappingNode;
  readonly #context: BuildContext;
  readonly #blobs: BlobCollector;
  readonly #warnings: string[] = [];

  constructor(text: PlanText, tree: MappingNode, context: BuildContext) {
    this.#text = text;
    this.#tree = tree;
    this.#context = context;
    this.#blobs = new BlobCollector(context.sources);
  }

  build(): ParsedPlan {
    const { problems, options, secrets, sources } = this.#context;
    const seed = this.#text.seed ?? sources.chooseSeed();
    const targetUrl = this.#targetUrl();
    const proxy = this.#proxyTo(targetUrl);
    const table = this.#readData(seed);
    const built = this.#buildRequests(targetUrl, table);
    if (table !== null) checkRows(built.rawTemplates, table.table, problems);
    const data = table?.data ?? null;
    const scrapes = buildScrapes(this.#text.scrape, targetUrl, problems);
    const asWritten = buildPhases(this.#text.load, {
      warnings: this.#warnings,
      blobs: this.#blobs,
      problems,
      laneCount: this.#text.lanes,
      datasetInstants: this.#text.data !== null && table === null ? 'unknown' : (table?.instants ?? (() => null)),
    });
    const bounds = { slo: this.#text.slo, thresholds: this.#text.thresholds, tree: this.#tree };
    checkGoodput(bounds, problems);
    checkLlmBounds(bounds, built.requests, problems);
    problems.throwIfAny(options.source);

    const context = { seed, laneCount: this.#text.lanes, blobs: this.#blobs, warnings: this.#warnings };
    const phases = data === null ? asWritten : assignRows(asWritten, data, context);
    this.#collectSecrets(targetUrl, built.requests);
    for (const { url } of scrapes) for (const secret of secretsOfUrl(url)) secrets.add(secret);
    const parts = { seed, targetUrl, proxy, requests: built.requests, data, phases, scrapes };
    const plan = assemblePlan(this.#text, options.defaultName, parts);
    this.#warnings.push(...planWarnings(plan, secrets));
    const redact = createRedactor([...secrets]);
    return {
      plan,
      blobs: this.#blobs.blobs,
      effectiveYaml: formatEffectiveYaml(this.#tree, plan, redact),
      secrets: [...secrets],
      reference: this.#text.target.value.reference,
      warnings: this.#warnings.map(redact),
    };
  }

  #targetUrl(): string {
    const { value: target, place } = this.#text.target;
    const { problems, options } = this.#context;
    if (target.url !== null && target.reference !== null) {
      problems.add('target.reference', place.origin, 'url and reference are both given; give one');
    }
    if (target.url !== null) return target.url.value;
    if (target.reference === null)
      problems.add('target.url', place.origin, 'is missing; expected a URL such as http://127.0.0.1:8080');
    return options.referenceUrl ?? REFERENCE_PLACEHOLDER;
  }

  #proxyTo(targetUrl: string): string {
    const { value: target, place } = this.#text.target;
    const { problems, sources, secrets } = this.#context;
    try {
      const proxy = proxyOfTarget(target, targetUrl, sources.environment);
      for (const secret of secretsOfProxy(proxy)) secrets.add(secret);
      return proxy;
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      problems.add('target.proxy', place.origin, error.message);
      return DIRECT;
    }
  }

  #readData(seed: bigint): ReadData | null {
    const { data } = this.#text;
    if (data === null) return null;
    const { file, dataset, rows } = data.value;
    const path = dataset === null ? 'data.file' : 'data.dataset';
    try {
      if ((file === null) === (dataset === null))
        throw new FleetError(
          'plan',
          file === null ? 'is missing; give file or dataset' : 'file and dataset are both given; give one',
        );
      return dataset === null ? this.#readFile(file ?? '', rows) : this.#readDataset(dataset.value, rows, seed);
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      this.#context.problems.add(path, data.place.origin, error.message);
      return null;
    }
  }

  #readFile(file: string, rows: RowMode | null): ReadData {
    const { ref, bytes } = this.#blobs.addFile(file);
    const table = readDataTable(bytes, file);
    const data = {
      file: ref,
      columns: table.columns,
      rowCount: table.rows.length,
      rows: rows ?? 'cycle',
      dataset: null,
    };
    return { data, table, instants: () => null };
  }

  #readDataset(dataset: DatasetText, rows: RowMode | null, seed: bigint): ReadData {
    const context = { seed, blobs: this.#blobs, chooseSalt: () => this.#context.sources.chooseSeed() };
    const built = buildDataset(dataset, rows, context);
    // Prompts go into bodies, where any text may stand: the rows need no check.
    return { ...built, table: { columns: built.data.columns, rows: [] } };
  }

  #buildRequests(targetUrl: string, table: { readonly data: DataRows } | null): BuiltRequests {
    const { problems, secrets, sources } = this.#context;
    const { data } = this.#text;
    // Templates of a file that could not be read would only repeat its fault.
    if (data !== null && table === null) return { requests: [], rawTemplates: [] };
    const columns = table?.data.columns ?? [];
    return buildRequests(this.#requestTexts(), {
      targetUrl,
      columns,
      hasLaterTurns: table !== null && table.data.dataset !== null && columns.includes(LATER_TURNS_COLUMN),
      blobs: this.#blobs,
      problems,
      environment: sources.environment,
      secrets,
    });
  }

  #requestTexts(): readonly PlacedRequest[] {
    const { workload, data } = this.#text;
    if (workload !== null) {
      const hasDataset = data !== null && data.value.dataset !== null;
      return hasDataset
        ? workload.map(({ value, place }) => ({ value: withDatasetPrompt(value, place), place }))
        : workload;
    }
    const value = {
      name: 'request',
      weight: 1,
      method: null,
      url: null,
      headers: [],
      body: null,
      bodyFile: null,
      expect: { status: [[200, 399]] as const, decoded: true },
      llm: null,
    };
    return [{ value, place: { path: 'workload', origin: this.#tree.origin } }];
  }

  #collectSecrets(targetUrl: string, requests: readonly RequestTemplate[]): void {
    const { secrets } = this.#context;
    for (const secret of secretsOfUrl(targetUrl)) secrets.add(secret);
    for (const secret of requests.flatMap(secretsOfRequest)) secrets.add(secret);
  }
}
