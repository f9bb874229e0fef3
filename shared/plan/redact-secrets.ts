/**
 * Takes secrets out of texts that leave the process: logs, errors, stored plans, reports (R106). By value: wherever a known
 * secret appears, as it is or as URLs and JSON would write it, `[redacted]` takes its place.
 */

/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** Shortest secret that is looked for by value: a shorter one would tear ordinary text apart. */
export const SECRET_LENGTH_MIN = 4;

/** Shortest piece of a cut secret that is looked for anywhere in a text that somebody else wrote. */
const PART_LENGTH_MIN = 8;

/** Replaces every known secret in a text. */
export type Redact = (text: string) => string;

/** A redactor for `secrets` (`PlanBundle.secrets`). Longer secrets first, so that one inside another leaves no rest. */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = formsOf(secrets).map((form) => (/^[0-9]+$/.test(form) ? wholeNumber(form) : form));
  return (text) => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, REDACTED);
    return clean;
  };
}

/** A secret of digits is no part of a longer number: `1000` would tear 10000 apart. */
function wholeNumber(digits: string): RegExp {
  return new RegExp(`(?<![0-9])${digits}(?![0-9])`, 'g');
}

/**
 * A redactor for texts that others wrote, who may have cut or masked a secret before we see it: it also takes out the beginning and the end
 * of a secret, from 8 characters on, and from 4 on where the text breaks off. For our own texts it would tear too much apart.
 */
export function createPartRedactor(secrets: readonly string[]): Redact {
  const whole = createRedactor(secrets);
  const forms = formsOf(secrets).filter((form) => form.length > PART_LENGTH_MIN);
  return (text) => {
    let clean = whole(text);
    for (const form of forms) clean = withoutLastPart(withoutEnds(withoutBeginnings(clean, form), form), form);
    return clean;
  };
}

/** The longest first. */
function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SECRET_LENGTH_MIN) continue;
    for (const form of writtenForms(secret)) forms.add(form);
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

function withoutBeginnings(text: string, form: string): string {
  const least = form.slice(0, PART_LENGTH_MIN);
  let clean = '';
  let from = 0;
  for (let at = text.indexOf(least); at >= 0; at = text.indexOf(least, from)) {
    let length = PART_LENGTH_MIN;
    while (length < form.length && text[at + length] === form[length]) length += 1;
    clean += `${text.slice(from, at)}${REDACTED}`;
    from = at + length;
  }
  return clean + text.slice(from);
}

function withoutEnds(text: string, form: string): string {
  const least = form.slice(-PART_LENGTH_MIN);
  let clean = '';
  let from = 0;
  for (let at = text.indexOf(least); at >= 0; at = text.indexOf(least, from)) {
    const end = at + PART_LENGTH_MIN;
    let length = PART_LENGTH_MIN;
    while (length < form.length && end - length > from && text[end - length - 1] === form.at(-length - 1)) length += 1;
    clean += `${text.slice(from, end - length)}${REDACTED}`;
    from = end;
  }
  return clean + text.slice(from);
}

/** Where a text breaks off, dots that say so left aside, a shorter beginning of a secret is one too. */
function withoutLastPart(text: string, form: string): string {
  const said = text.replace(/(?:\.{3}|\u2026)$/, '');
  for (let length = Math.min(form.length, PART_LENGTH_MIN) - 1; length >= SECRET_LENGTH_MIN; length -= 1) {
    if (said.endsWith(form.slice(0, length))) return `${said.slice(0, -length)}${REDACTED}${text.slice(said.length)}`;
  }
  return text;
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
