/** A client that speaks in bytes: sends what it is given and tells what came back and how the connection ended. */
import { connect, type Socket } from 'node:net';

/** How a connection stands after an exchange. */
export type ConnectionEnd = 'open' | 'closed' | 'reset';

export class RawClient {
  readonly socket: Socket;
  text = '';
  end: ConnectionEnd = 'open';
  readonly #wakeUps = new Set<() => void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      this.text += bytes.toString('latin1');
      this.#wake();
    });
    socket.on('end', () => {
      if (this.end === 'open') this.end = 'closed';
      this.#wake();
    });
    socket.on('error', () => {
      this.end = 'reset';
      this.#wake();
    });
  }

  /** Connects to a port of this host; rejects with the error's code. */
  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ host: '127.0.0.1', port });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code)));
    });
    return new RawClient(socket);
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Sends a GET of the path with these header lines. */
  get(path: string, ...headers: string[]): void {
    this.send([`GET ${path} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n'));
  }

  /** Waits until the text received satisfies the test. Rejects when the connection ends before. */
  async until(test: RegExp): Promise<string> {
    await this.#waitFor(() => test.test(this.text) || this.end !== 'open');
    if (!test.test(this.text)) throw new Error(`${this.end} after ${JSON.stringify(this.text)}`);
    return this.text;
  }

  /** Waits until this many status lines came and the text ends in `ending`. */
  async untilAnswers(count: number, ending: string): Promise<string> {
    const isThere = (): boolean => this.text.endsWith(ending) && this.text.split('HTTP/1.1 ').length > count;
    await this.#waitFor(() => isThere() || this.end !== 'open');
    if (!isThere()) throw new Error(`${this.end} after ${JSON.stringify(this.text.slice(-1_000))}`);
    return this.text;
  }

  /** Waits until the server has ended the connection. */
  async untilEnd(): Promise<ConnectionEnd> {
    await this.#waitFor(() => this.end !== 'open');
    return this.end;
  }

  close(): void {
    this.socket.destroy();
  }

  async #waitFor(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        const wakeUp = (): void => {
          this.#wakeUps.delete(wakeUp);
          resolve();
        };
        this.#wakeUps.add(wakeUp);
      });
    }
  }

  #wake(): void {
    for (const wakeUp of [...this.#wakeUps]) wakeUp();
  }
}
