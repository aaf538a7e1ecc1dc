import type { Siblings } from "@gatehouse/http";
import { isJsonObject, type JsonRpcParams } from "@gatehouse/json-rpc";
import { type CallsInFlight, nameOfCall } from "./calls-in-flight.ts";

/** Calls in one question to the other processes. */
const namesMax = 100;
/** Cancellations that wait for the question before them: of one caller, and of all. Further ones reach this process alone. */
const waitingOfCallerMax = 100;
const waitingMax = 1_000;
/** Longest name of a call that other processes are asked for, characters. */
const nameLengthMax = 1_000;

interface Cancellation {
  readonly caller: string;
  readonly name: string;
}

/**
 * Finds the call that `notifications/cancelled` of another request means, in this process or another one at the same port. The
 * gateway has no MCP sessions, so a caller is identified by token and address; if two calls in flight match, neither is
 * cancelled. One question at a time goes to the other processes, with all cancellations that came meanwhile.
 */
export class Cancellations {
  readonly #calls: CallsInFlight;
  readonly #siblings: Siblings | undefined;
  readonly #subject: string;
  #waiting: Cancellation[] = [];
  #isAsking = false;

  /** @param route id of the MCP route, whose handlers in all processes share the calls */
  constructor(calls: CallsInFlight, route: string, siblings?: Siblings) {
    this.#calls = calls;
    this.#siblings = siblings;
    this.#subject = `${route} calls`;
    siblings?.answer(this.#subject, (question) => this.#answer(question as Question));
  }

  /** Takes a notification; all but `notifications/cancelled` with the id of a request are ignored. */
  record(caller: string, method: string, params: JsonRpcParams): void {
    if (method !== "notifications/cancelled" || !isJsonObject(params)) return;
    const { requestId } = params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    const name = nameOfCall(caller, JSON.stringify(requestId));
    if (this.#siblings === undefined || !this.#hasRoom(caller, name)) {
      this.#calls.cancel(name);
      return;
    }
    this.#waiting.push({ caller, name });
    if (!this.#isAsking) void this.#askAll(this.#siblings);
  }

  #hasRoom(caller: string, name: string): boolean {
    if (name.length > nameLengthMax || this.#waiting.length >= waitingMax) return false;
    return this.#waiting.filter((each) => each.caller === caller).length < waitingOfCallerMax;
  }

  async #askAll(siblings: Siblings): Promise<void> {
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const names = this.#waiting.slice(0, namesMax).map(({ name }) => name);
      this.#waiting = this.#waiting.slice(namesMax);
      await this.#cancel(siblings, names);
    }
    this.#isAsking = false;
  }

  async #cancel(siblings: Siblings, names: readonly string[]): Promise<void> {
    const counts = (await siblings.ask(this.#subject, { counts: names } satisfies Question)) as (readonly number[])[];
    const elsewhere = names.filter((name, index) => {
      const found = counts.reduce((sum, each) => sum + (each[index] ?? 0), 0);
      if (found === 0) this.#calls.cancel(name);
      return found === 1 && this.#calls.count(name) === 0;
    });
    if (elsewhere.length > 0) await siblings.ask(this.#subject, { cancels: elsewhere } satisfies Question);
  }

  /** The numbers of calls with the given names, or null. */
  #answer(question: Question): readonly number[] | null {
    if ("counts" in question) return question.counts.map((name) => this.#calls.count(name));
    for (const name of question.cancels) this.#calls.cancel(name);
    return null;
  }
}

type Question = { readonly counts: readonly string[] } | { readonly cancels: readonly string[] };
