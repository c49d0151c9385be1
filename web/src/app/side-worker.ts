/** Workers beside the page's first, for long jobs; see `worker/side-desk.ts`. */
import { transfer, wrap, type Remote } from 'comlink';
import type { PageApi } from '../worker/api.ts';
import { documentKey } from './document.ts';
import { startThread, worker } from './worker-client.ts';

/** A worker of its own for one kind of job, started when it is first needed. */
export class SideWorker {
  readonly #name: string;
  #thread: Worker | undefined;
  #api: Remote<PageApi> | undefined;
  #lent: { readonly key: string; readonly done: Promise<unknown> } | undefined;
  #starts = 0;

  /** @param name - what browsers' tools call it */
  constructor(name: string) {
    this.#name = name;
  }

  /** Counts its starts: what was told to an earlier one is gone. */
  get starts(): number {
    return this.#starts;
  }

  /** The worker, with the maps of the document as it is now. */
  async ready(): Promise<Remote<PageApi>> {
    const key = documentKey.peek();
    let api = this.#api;
    if (api === undefined) {
      this.#thread = startThread(this.#name);
      api = this.#api = wrap<PageApi>(this.#thread);
      this.#starts++;
    }
    if (this.#lent?.key !== key) {
      const { port1, port2 } = new MessageChannel();
      const taken = api.takeMaps(transfer(port2, [port2]));
      this.#lent = { key, done: Promise.all([worker.lendMaps(transfer(port1, [port1])), taken]) };
    }
    await this.#lent.done;
    return api;
  }

  /** Ends the worker and whatever it is doing. Answers that are awaited never come. */
  stop(): void {
    this.#thread?.terminate();
    this.#thread = undefined;
    this.#api = undefined;
    this.#lent = undefined;
  }
}
