/** What the metrics of known inference servers mean, by name: so that they can stand beside the client's own numbers. */

/** What a metric tells. */
export const SERVER_ROLES = [
  /** Requests being worked on. */
  'running',
  /** Requests waiting in front of the batch. */
  'waiting',
  /** Running requests put back for want of memory. */
  'preemptions',
  /** Share of the KV cache in use. */
  'cacheUse',
  /** Time to first token. */
  'ttft',
  /** Time between tokens. */
  'itl',
  /** Whole time of a request. */
  'e2e',
] as const;

export type ServerRole = (typeof SERVER_ROLES)[number];

const ROLE_OF_NAME: Readonly<Record<string, ServerRole>> = {
  'vllm:num_requests_running': 'running',
  'vllm:num_requests_waiting': 'waiting',
  'vllm:num_preemptions_total': 'preemptions',
  'vllm:num_preemptions': 'preemptions',
  'vllm:gpu_cache_usage_perc': 'cacheUse',
  'vllm:kv_cache_usage_perc': 'cacheUse',
  'vllm:time_to_first_token_seconds': 'ttft',
  'vllm:time_per_output_token_seconds': 'itl',
  'vllm:inter_token_latency_seconds': 'itl',
  'vllm:e2e_request_latency_seconds': 'e2e',
  'sglang:num_running_reqs': 'running',
  'sglang:num_queue_reqs': 'waiting',
  'sglang:token_usage': 'cacheUse',
  'sglang:time_to_first_token_seconds': 'ttft',
  'sglang:inter_token_latency_seconds': 'itl',
  'sglang:e2e_request_latency_seconds': 'e2e',
  tgi_batch_current_size: 'running',
  tgi_queue_size: 'waiting',
  tgi_request_duration: 'e2e',
  tgi_request_mean_time_per_token_duration: 'itl',
  'llamacpp:requests_processing': 'running',
  'llamacpp:requests_deferred': 'waiting',
  'llamacpp:kv_cache_usage_ratio': 'cacheUse',
};

/** What a metric of this name tells; null = not known. */
export function serverRoleOf(name: string): ServerRole | null {
  return Object.hasOwn(ROLE_OF_NAME, name) ? (ROLE_OF_NAME[name] as ServerRole) : null;
}
