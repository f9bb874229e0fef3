/** The plan's `scrape` list: which pages of the server's own numbers are read while the run lasts. */

import { FleetError } from '../fleet-error.ts';
import { checkAbsoluteUrl } from './http-syntax.ts';
import { durationField, listField, placed, textField } from './plan-field.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import type { Scrape } from './plan.ts';
import type { ProblemList } from './problem-list.ts';
import { optional, recordField, required } from './record-field.ts';

/** Keys of one page. */
export const scrapeKeys = {
  name: optional(textField({ max: 100, what: 'a name' }), 'Name in the report.', null, 'server, with a number'),
  url: required(
    textField({ max: 4096, what: 'a URL' }),
    'Page in the Prometheus text format: a whole URL, or a path behind scheme, host and port of `target.url`, e.g. `/metrics`.',
  ),
  interval: optional(
    durationField({ minNs: 100e6, maxNs: 3600e9 }),
    'How often it is read, beside the start and the end of every phase.',
    1e9,
    '1s',
  ),
  include: optional(
    listField(textField({ max: 200, what: 'the start of a metric name' }), { min: 1, max: 100 }),
    'Metrics whose names start so are kept; at most 1000 series.',
    [],
    'all',
  ),
};

/** The list as read. */
export const scrapeField = listField(placed(recordField(scrapeKeys, 'each with a url')), {
  min: 0,
  max: PLAN_COUNTS.scrapesMax,
});

type ScrapeText = Exclude<ReturnType<typeof scrapeField.read>, symbol>;

/** The pages with whole URLs and names; faults become problems. */
export function buildScrapes(texts: ScrapeText, targetUrl: string, problems: ProblemList): Scrape[] {
  const scrapes: Scrape[] = [];
  for (const [index, { value, place }] of texts.entries()) {
    try {
      const url = value.url.startsWith('/') ? new URL(value.url, targetUrl).href : checkAbsoluteUrl(value.url);
      const name = value.name ?? (texts.length === 1 ? 'server' : `server-${index + 1}`);
      if (scrapes.some((other) => other.name === name))
        problems.add(`${place.path}.name`, place.origin, `another page is named "${name}" too`);
      scrapes.push({ name, url, intervalNs: value.interval, include: value.include });
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      problems.add(`${place.path}.url`, place.origin, error.message);
    }
  }
  return scrapes;
}
