/**
 * Takes secrets out of texts that leave the process: logs, errors, stored plans, reports (R106). By value: wherever a known
 * secret appears, as it is or as URLs and JSON would write it, `[redacted]` takes its place.
 */

/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** Shortest secret that is looked for by value: a shorter one would tear ordinary text apart. */
export const SECRET_LENGTH_MIN = 4;

/** Replaces every known secret in a text. */
export type Redact = (text: string) => string;

/** A redactor for `secrets` (`PlanBundle.secrets`). Longer secrets first, so that one inside another leaves no rest. */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SECRET_LENGTH_MIN) continue;
    for (const form of writtenForms(secret)) forms.add(form);
  }
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const form of ordered) clean = clean.replaceAll(form, REDACTED);
    return clean;
  };
}

/** A secret as plain text, in a URL, in a form, in JSON, and without the spaces a protocol trims. */
function writtenForms(secret: string): string[] {
  const trimmed = secret.trim();
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const forms = [
    secret,
    trimmed,
    inUrl,
    inUrl.replaceAll('%20', '+'),
    inUrl.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    encodeURI(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
  ];
  return forms.filter((form) => form.length >= SECRET_LENGTH_MIN);
}
