/** TCP segments of this network namespace, sent and sent again, from /proc/net/snmp. Of all processes, not only of ours. */

/** Cumulative counts. */
export interface TcpSegments {
  readonly sent: number;
  readonly retransmitted: number;
}

/** Reads the text of /proc/net/snmp: a line of names and a line of values for each protocol. */
export function parseTcpSegments(text: string): TcpSegments | null {
  const [names, values] = [...text.matchAll(/^Tcp: (.*)$/gm)].map((match) => (match[1] ?? '').split(' '));
  if (names === undefined || values === undefined) return null;
  const valueOf = (name: string): number => Number(values[names.indexOf(name)] ?? Number.NaN);
  const found = { sent: valueOf('OutSegs'), retransmitted: valueOf('RetransSegs') };
  return Number.isFinite(found.sent) && Number.isFinite(found.retransmitted) ? found : null;
}
