import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { asRecord } from "../exchange/json.ts";

/**
 * The parts of a provider's replies that reach callers, in the form that its package requires. Packages check replies against the
 * form of their release, and refuse all of a reply for one block, event or figure that is missing or newer.
 */
export interface ReplyView {
  /** A reply without a recognisable answer is returned as it is, for the package to refuse. */
  whole(reply: JsonObject): JsonObject;
  /** One for each stream. It gets the events in order. */
  createEventView(): EventView;
  /** Whether an event of the view has the answer's finish reason. */
  isFinish(event: JsonObject): boolean;
  /** The model that a reply or an event names, where the package does not report it. */
  readonly modelOf?: (reply: JsonObject) => string | undefined;
}

/** The view; `onModel` is called with each model that a reply names. */
export function withModelSeen(view: ReplyView, onModel: (model: string) => void): ReplyView {
  const { modelOf } = view;
  if (modelOf === undefined) return view;
  const see = (reply: JsonObject): JsonObject => {
    const model = modelOf(reply);
    if (model !== undefined) onModel(model);
    return reply;
  };
  return {
    ...view,
    whole: (reply) => view.whole(see(reply)),
    createEventView() {
      const show = view.createEventView();
      return (event) => show(see(event));
    },
  };
}

/** The events that the package gets in place of one: none for an event to leave out. */
export type EventView = (event: JsonObject) => readonly JsonObject[];

/** Stands for a missing count: sums of it and other counts stay implausible, so that the gateway counts itself. */
const absentCount = Number.MIN_SAFE_INTEGER;

/** Counts of a reply: those required, where missing as {@link absentCount}, and the others that are numbers. */
export function toCounts(usage: unknown, required: readonly string[], others: readonly string[] = []): JsonObject {
  const given = asRecord(usage) ?? {};
  return {
    ...Object.fromEntries(required.map((name) => [name, isCount(given[name]) ? given[name] : absentCount])),
    ...pick(
      given,
      others.filter((name) => isCount(given[name])),
    ),
  };
}

/** Whether JSON can state the number again: one beyond a double's range is read as infinite. */
export function isCount(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Whether a finish reason, an id or a model is named. Servers send an empty text as well as null where it is not. */
export function isNamed(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The members of these names that are {@link isNamed named}. */
export function pickNamed(object: JsonObject, names: readonly string[]): JsonObject {
  return pick(
    object,
    names.filter((name) => isNamed(object[name])),
  );
}

/** The members of these names that the object has. */
export function pick(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}

/** The objects of a list; none for another value. */
export function objectsOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
