/** What the reference LLM target counts, as a Prometheus page in the names that vLLM uses. */

const TTFT_BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];
const GAP_BUCKETS = [
  0.001, 0.0025, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5,
];
const E2E_BUCKETS = [0.1, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480];

class PrometheusHistogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #count = 0;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  observe(seconds: number): void {
    this.#count += 1;
    this.#sum += seconds;
    const place = this.#bounds.findIndex((bound) => seconds <= bound);
    if (place >= 0) this.#counts[place] = (this.#counts[place] as number) + 1;
  }

  lines(name: string, labels: string): string[] {
    let cumulative = 0;
    const buckets = this.#bounds.map((bound, place) => {
      cumulative += this.#counts[place] as number;
      return `${name}_bucket{le="${bound}",${labels}} ${cumulative}`;
    });
    return [
      `# TYPE ${name} histogram`,
      ...buckets,
      `${name}_bucket{le="+Inf",${labels}} ${this.#count}`,
      `${name}_sum{${labels}} ${this.#sum}`,
      `${name}_count{${labels}} ${this.#count}`,
    ];
  }
}

/** Counters, gauges and histograms of one target. */
export class LlmMetrics {
  requests = 0;
  promptTokens = 0;
  generationTokens = 0;
  succeeded = 0;
  failed = 0;
  readonly #firstToken = new PrometheusHistogram(TTFT_BUCKETS);
  readonly #gap = new PrometheusHistogram(GAP_BUCKETS);
  readonly #whole = new PrometheusHistogram(E2E_BUCKETS);

  /** A first token left `ns` after its request came. */
  firstToken(ns: number): void {
    this.#firstToken.observe(ns / 1e9);
  }

  /** A token came `ns` after the one before. */
  gap(ns: number): void {
    this.#gap.observe(ns / 1e9);
  }

  /** An answer of `promptTokens` and `generated` tokens ended `ns` after its request came. */
  ended(ns: number, promptTokens: number, generated: number): void {
    this.#whole.observe(ns / 1e9);
    this.succeeded += 1;
    this.promptTokens += promptTokens;
    this.generationTokens += generated;
  }

  /** The page as `/metrics` gives it. */
  page(running: number, waiting: number): string {
    const labels = 'model_name="reference"';
    const single = (name: string, type: string, value: number): string[] => [
      `# TYPE ${name} ${type}`,
      `${name}{${labels}} ${value}`,
    ];
    return [
      ...single('vllm:num_requests_running', 'gauge', running),
      ...single('vllm:num_requests_waiting', 'gauge', waiting),
      ...single('vllm:num_preemptions_total', 'counter', 0),
      ...single('vllm:prompt_tokens_total', 'counter', this.promptTokens),
      ...single('vllm:generation_tokens_total', 'counter', this.generationTokens),
      ...single('vllm:request_success_total', 'counter', this.succeeded),
      ...this.#firstToken.lines('vllm:time_to_first_token_seconds', labels),
      ...this.#gap.lines('vllm:time_per_output_token_seconds', labels),
      ...this.#whole.lines('vllm:e2e_request_latency_seconds', labels),
      '',
    ].join('\n');
  }
}
