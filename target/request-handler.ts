/**
 * What happens to a request at the reference target: counted, drawn, queued, and answered when its service ends.
 * The path through here is the target's whole behaviour; sockets are the listener's, waiting is the due loop's.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../shared/time/monotonic-clock.ts';
import { ADMIN_PREFIX, type AdminContext, answerAdmin } from './admin.ts';
import { type Answer, applyBreak, applyTwist, createAnswer } from './answer.ts';
import { BodyStore } from './body-store.ts';
import { ConnectionBook } from './connection-book.ts';
import type { Exchange, KeptRequest } from './exchange.ts';
import type { FaultRule, MomentFault } from './fault.ts';
import type { FaultRules, RequestFaults } from './fault-rules.ts';
import { BODY_PURPOSE, drawRequestWords, furtherUnit, serviceUnit } from './request-draw.ts';
import { identityByNumber, parseRequestIdentity } from './request-identity.ts';
import { IDENTITY_HEADER } from '../shared/schedule/identity-header.ts';
import { OverrideReader, type RequestOverrides } from './request-overrides.ts';
import { RequestRecords } from './request-records.ts';
import { sendAnswer, type SendContext } from './send-answer.ts';
import { bodyBytesOf, type ServiceLaw, serviceNsOf } from './service-law.ts';
import { ServiceQueue } from './service-queue.ts';
import type { StallGate } from './stall-gate.ts';
import { RequestBook, type RequestEnd, type TargetCounts } from './target-counts.ts';
import type { TargetSettings } from './target-options.ts';

/** What the handler needs from the target around it. */
export interface HandlerContext {
  readonly rules: FaultRules;
  readonly gate: StallGate;
  readonly clock: Clock;
  beginMoment(fault: MomentFault): void;
  setFault(rule: FaultRule): void;
  clearFaults(): void;
}

const NO_OVERRIDES: RequestOverrides = { service: null, status: null, body: null, faults: [] };

/** Serves the requests of all connections. */
export class RequestHandler {
  readonly connections: ConnectionBook;
  readonly #settings: TargetSettings;
  readonly #context: HandlerContext;
  readonly #http: Server;
  readonly #queue: ServiceQueue;
  readonly #book = new RequestBook();
  readonly #records: RequestRecords | null;
  readonly #overrides = new OverrideReader();
  readonly #words = new Uint32Array(4);
  readonly #sendContext: SendContext;
  readonly #adminContext: AdminContext;

  constructor(settings: TargetSettings, context: HandlerContext) {
    this.#settings = settings;
    this.#context = context;
    this.#queue = new ServiceQueue(settings.servers);
    this.#records = settings.keepIdentities ? new RequestRecords() : null;
    this.connections = new ConnectionBook(() => this.#book.countFault('idle-close'));
    this.#sendContext = {
      bodies: new BodyStore(),
      nowNs: () => context.clock.nowNs(),
      later: (atNs, run) => context.gate.later(atNs, run),
      keepAliveHint: () => this.connections.keepAliveHint,
      ended: (exchange, end) => this.#ended(exchange, end),
    };
    this.#adminContext = {
      counts: () => this.counts(),
      rules: () => context.rules.rules,
      setFault: (rule) => context.setFault(rule),
      clearFaults: () => context.clearFaults(),
      keptRequests: () => this.keptRequests(),
    };
    this.#http = this.#createHttp();
  }

  /** Takes over a new connection. */
  accept(socket: Socket): void {
    this.connections.add(socket);
    this.#http.emit('connection', socket);
  }

  counts(): TargetCounts {
    return this.#book.snapshot({ duplicates: this.#records?.duplicates ?? null, ...this.connections.snapshot() });
  }

  countFault(kind: string): void {
    this.#book.countFault(kind);
  }

  /** The kept records; null when none are kept. */
  keptRequests(): readonly KeptRequest[] | null {
    return this.#records?.records ?? null;
  }

  /** Ends all connections. */
  close(): void {
    this.connections.destroyAll();
    this.#http.close();
  }

  #createHttp(): Server {
    // No limit of the server's own may end a connection: only faults do, and they are counted.
    const http = createServer({
      keepAliveTimeout: 0,
      requestTimeout: 0,
      headersTimeout: 0,
      connectionsCheckingInterval: 2 ** 31 - 1,
    });
    http.timeout = 0;
    http.on('request', (request, response) => this.#onRequest(request, response));
    http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // A client that goes away is an ordinary end; only bytes that are no request are malformed.
      if (error.code?.startsWith('HPE_') === true) this.#book.countMalformed();
      socket.destroy();
    });
    return http;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    response.sendDate = false;
    if (url.startsWith(ADMIN_PREFIX)) {
      this.connections.adminRequest(request.socket);
      void answerAdmin(request, response, this.#adminContext);
      return;
    }
    const questionMark = url.indexOf('?');
    const path = questionMark < 0 ? url : url.slice(0, questionMark);
    const number = this.#book.countRequest(path);
    this.connections.requestBegins(request.socket);
    if (!hasBody(request)) {
      this.#serve(request, response, number, path, questionMark < 0 ? null : url.slice(questionMark + 1));
      return;
    }
    request.on('end', () => {
      this.#serve(request, response, number, path, questionMark < 0 ? null : url.slice(questionMark + 1));
    });
    request.on('close', () => {
      if (!request.readableEnded) this.#book.countAbandoned();
    });
    request.resume();
  }

  /** Draws, queues and plans the answer of a request that is here in full. */
  #serve(request: IncomingMessage, response: ServerResponse, number: number, path: string, query: string | null): void {
    const receivedNs = this.#context.clock.nowNs();
    const header = request.headers[IDENTITY_HEADER];
    const identity = typeof header === 'string' ? parseRequestIdentity(header) : null;
    const identityText = identity === null ? null : (header as string);
    if (identityText !== null) {
      this.#book.countIdentified();
      this.#records?.arrived(identityText);
    }
    drawRequestWords(this.#settings.seed, identity ?? identityByNumber(number), this.#words);

    const overrides = query === null ? NO_OVERRIDES : this.#overrides.read(query);
    if ('refusal' in overrides) {
      this.#refuse(request, response, overrides.refusal);
      return;
    }
    const faults = this.#chooseFaults(path, overrides);
    const law = this.#lawOf(overrides, faults);
    const serviceNs = serviceNsOf(law, serviceUnit(this.#words));
    const startNs = law.kind === 'instant' ? receivedNs : this.#queue.admit(receivedNs, serviceNs).startNs;
    const answer = this.#planAnswer(overrides, faults);
    const exchange = { request, response, path, identity: identityText, receivedNs, startNs, serviceNs, answer };
    const endNs = startNs + serviceNs;
    if (endNs <= receivedNs && !this.#context.gate.isStalled(receivedNs)) sendAnswer(exchange, this.#sendContext);
    else this.#context.gate.later(endNs, () => sendAnswer(exchange, this.#sendContext));
  }

  #chooseFaults(path: string, overrides: RequestOverrides): RequestFaults | null {
    if (this.#context.rules.isEmpty && overrides.faults.length === 0) return null;
    const faults = this.#context.rules.choose(path, this.#words);
    this.#context.rules.chooseOwn(overrides.faults, this.#words, faults);
    for (const moment of faults.moments) this.#context.beginMoment(moment);
    for (const twist of faults.twists) this.#book.countFault(twist.kind);
    if (faults.broken !== null) this.#book.countFault(faults.broken.kind);
    return faults;
  }

  /** The service law of the request: of its break, else of its last twist, else of its query, else of the target. */
  #lawOf(overrides: RequestOverrides, faults: RequestFaults | null): ServiceLaw {
    if (faults?.broken?.kind === 'status' && faults.broken.service !== null) return faults.broken.service;
    const twist = faults?.twists.findLast((fault) => fault.kind === 'service');
    return twist?.law ?? overrides.service ?? this.#settings.service;
  }

  #planAnswer(overrides: RequestOverrides, faults: RequestFaults | null): Answer {
    const body = overrides.body ?? this.#settings.body;
    const unit = body.kind === 'constant' ? 0 : furtherUnit(this.#settings.seed, this.#words, BODY_PURPOSE);
    const answer = createAnswer(overrides.status ?? 200, bodyBytesOf(body, unit));
    if (faults !== null) {
      for (const twist of faults.twists) applyTwist(answer, twist);
      if (faults.broken !== null) applyBreak(answer, faults.broken);
    }
    return answer;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, reason: string): void {
    response.writeHead(400, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(reason) });
    response.end(reason);
    this.#book.countAnswer(400);
    this.connections.requestEnds(request.socket);
  }

  #ended(exchange: Exchange, end: RequestEnd): void {
    if (end === 'answered') this.#book.countAnswer(exchange.answer.status);
    else if (end === 'cutShort') this.#book.countCutShort();
    else this.#book.countAbandoned();
    this.#records?.ended(exchange, end, this.#context.clock.nowNs());
    if (end === 'answered') this.connections.requestEnds(exchange.request.socket);
  }
}

/** True when the request announces a body: then its service begins at the body's end. */
function hasBody(request: IncomingMessage): boolean {
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
}
