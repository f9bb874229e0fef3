/** Row values that go into URLs and headers without a filter must be able to stand there; a row that cannot is found before the run. */

import { FleetError } from '../fleet-error.ts';
import type { RawTemplate } from './build-requests.ts';
import type { DataTable } from './data-rows.ts';
import { checkHeaderValue, checkPathAndQuery } from './http-syntax.ts';
import type { ProblemList } from './problem-list.ts';
import { renderTemplate } from './template.ts';

/** Adds a problem for each template with the first row that does not fit it. */
export function checkRows(templates: readonly RawTemplate[], table: DataTable, problems: ProblemList): void {
  for (const { template, place, kind } of templates) {
    if (template.places.every((each) => each.filter !== 'none')) continue;
    const check = kind === 'url' ? checkPathAndQuery : checkHeaderValue;
    for (const [index, row] of table.rows.entries()) {
      try {
        check(renderTemplate(template, row).trim());
      } catch (error) {
        if (!(error instanceof FleetError)) throw error;
        const hint = kind === 'url' ? '; {{column|url}} encodes a value' : '';
        problems.add(place.path, place.origin, `with data row ${index + 1}: ${error.message}${hint}`);
        break;
      }
    }
  }
}
