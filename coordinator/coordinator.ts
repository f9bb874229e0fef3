/**
 * One coordinator: a fleet, a server, and at most one run at a time. Embedded and remote use are the same from here on; who
 * starts the agents and who reads the result is the caller's difference.
 */
import { FleetError } from '../shared/fleet-error.ts';
import { isLoopbackHost, type ListenAddress } from '../shared/listen-address.ts';
import type { ChannelSecurity } from '../shared/rpc/channel-security.ts';
import { runText } from '../shared/rpc/control-message.ts';
import { type FleetServer, serveFleet } from '../shared/rpc/fleet-server.ts';
import { randomId } from '../shared/rpc/random-id.ts';
import type { ReportAck, ReportMessage } from '../shared/rpc/report-message.ts';
import type { Timekeeper } from '../shared/time/timekeeper.ts';
import { RunsService } from './api/runs-service.ts';
import { Fleet } from './fleet/fleet.ts';
import { RunDriver } from './run/run-driver.ts';
import type { RunRequest } from './run/run-request.ts';

/** How long calls may take to end when the coordinator closes, unless told otherwise, ns. */
const CLOSE_PATIENCE_NS = 1_000_000_000;
/** How long a result may be on its way to who watched the run, when the coordinator closes: large files over a slow link, ns. */
const RESULT_PATIENCE_NS = 60_000_000_000;
/** And how long its last piece, ns. */
const LAST_PIECE_PATIENCE_NS = 5_000_000_000;

/** How to run a coordinator. */
export interface CoordinatorOptions {
  /** Loopback only until TLS exists (design §12). */
  readonly listen: ListenAddress;
  readonly security: ChannelSecurity;
  readonly timekeeper: Timekeeper;
  /** One line for an operator. */
  readonly onNotice: (text: string) => void;
}

export class Coordinator {
  readonly #options: CoordinatorOptions;
  readonly #fleet: Fleet;
  readonly #runs: RunsService;
  #server: FleetServer | null = null;
  #current: RunDriver | null = null;

  /** Use `Coordinator.listen`. */
  private constructor(options: CoordinatorOptions) {
    const { timekeeper, onNotice } = options;
    this.#options = options;
    this.#runs = new RunsService(timekeeper, (request) => this.startRun(request), onNotice);
    this.#fleet = new Fleet(randomId('coordinator'), timekeeper, {
      onReady: () => this.#current?.membersChanged(),
      onJoined: (member, join) => {
        if (this.#current !== null) this.#current.memberJoined(member, join);
        else if (join.current !== null) {
          member.send({ kind: 'release', run: join.current, reason: `${runText(join.current)} is not known here` });
        }
      },
      onRunMessage: (member, message) => this.#current?.memberSaid(member, message),
      onGone: (member, reason) => {
        onNotice(`agent ${member.identity.agentId} is gone: ${reason}`);
        this.#current?.memberGone(member, reason);
      },
      onNotice,
    });
  }

  /** Starts to listen. @throws FleetError `refused` beyond loopback, `io` when the port cannot be had. */
  static async listen(options: CoordinatorOptions): Promise<Coordinator> {
    const coordinator = new Coordinator(options);
    coordinator.#server = await serveFleet(options.listen, options.security, {
      acceptControl: (stream, peer) => coordinator.#fleet.accept(stream, peer),
      acceptReports: (stream) => ({
        onMessage: (message) => coordinator.#takeReport(message, (ack) => stream.write(ack)),
        // The agent dials again while it has something to report.
        onClosed: () => undefined,
      }),
      blob: (sha256) => coordinator.#current?.blob(sha256) ?? null,
      submit: (messages) => coordinator.#runs.submit(messages),
      watch: (runId, isWanted) => coordinator.#runs.watch(runId, isWanted),
      stop: (runId, signal, abrupt) => coordinator.#runs.stop(runId, signal, abrupt),
    });
    return coordinator;
  }

  /** `HOST:PORT` for agents and the command line on this host. */
  get address(): string {
    return this.#server?.address ?? '';
  }

  /** Agents that are members now. */
  get memberCount(): number {
    return this.#fleet.members.length;
  }

  /** Accepts a run. @throws FleetError `refused` while another one is on, `plan` for what this build cannot run. */
  startRun(request: RunRequest): RunDriver {
    if (this.#current !== null) {
      throw new FleetError('refused', `busy with ${runText(this.#current.run)} (${this.#current.state.kind})`);
    }
    const driver = new RunDriver({
      run: { runId: randomId('run'), trial: 0 },
      request,
      timekeeper: this.#options.timekeeper,
      readyMembers: () => this.#fleet.ready,
      isLoopback: isLoopbackHost(this.#options.listen.host),
      onNotice: this.#options.onNotice,
    });
    this.#current = driver;
    this.#fleet.setLease(request.bundle.plan.fleet.leaseNs);
    void driver.ended.then(() => {
      this.#current = null;
      this.#fleet.setLease(null);
    });
    return driver;
  }

  /** Takes an agent out whose process is known to be gone, if it has joined; no other will come in its place. */
  declareGone(agentId: string, reason: string): void {
    this.#fleet.declareGone(agentId, reason);
    this.#current?.memberMissing(agentId, reason);
  }

  /**
   * Stops the present run (with drain and report, unless `patienceNs` is 0), dismisses the agents, lets everyone hang up for at most
   * `patienceNs`, or take the result for longer than that unless it is 0, and closes the port.
   */
  async close(reason: string, patienceNs = CLOSE_PATIENCE_NS): Promise<void> {
    const current = this.#current;
    if (current !== null) {
      current.stop('SIGTERM', patienceNs === 0);
      await current.ended;
    }
    this.#fleet.dissolve(reason);
    const isAwaited = this.#runs.isWatched && patienceNs > 0;
    // First: a connection that was told to close is dropped by the library's next keep-alive, whatever is still on it.
    if (isAwaited) await this.#runs.delivered(RESULT_PATIENCE_NS);
    await this.#server?.close(isAwaited ? LAST_PIECE_PATIENCE_NS : patienceNs);
    await this.#runs.close();
  }

  #takeReport(message: ReportMessage, answer: (ack: ReportAck) => void): void {
    if (this.#current !== null) {
      this.#current.takeReport(message, answer);
      return;
    }
    answer({ kind: 'rejected', key: message.key, reason: 'it belongs to no present run' });
  }
}
