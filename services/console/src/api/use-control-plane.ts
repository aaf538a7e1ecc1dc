import {
  type QueryKey,
  queryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { createContext, useContext, useRef, useState } from "react";
import type { Arguments, ControlPlane, Operation } from "./control-plane.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Session } from "./session.ts";
import type { ArgumentsOf, ListName, OperationName, ResultOf } from "./types.ts";
import type { UnansweredKeys } from "./unanswered-keys.ts";

/** Context of every page behind the sign-in. */
export interface SignedIn {
  readonly session: Session;
  readonly controlPlane: ControlPlane;
  /** Keys of this person's changes, wherever on the page they were sent. */
  readonly unanswered: UnansweredKeys;
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** @throws Error outside the pages behind the sign-in. */
export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (signedIn === undefined) throw new Error("This part is for people who are signed in.");
  return signedIn;
}

/** One place for the keys of the cache: an operation's name, then its arguments. */
export function operationKey(name: string, args?: Arguments): QueryKey {
  return args === undefined ? ["operation", name] : ["operation", name, args];
}

interface ReadOptions {
  readonly enabled?: boolean;
  /** Asks again while the page is open. */
  readonly refetchIntervalMs?: number;
}

interface ReadUntilOptions<Result> extends ReadOptions {
  /** Ends the asking. */
  readonly refetchUntil?: (result: Result) => boolean;
}

/** The result of an operation that only reads. */
export function useRead<Name extends OperationName>(
  name: Name,
  args: ArgumentsOf<Name>,
  options: ReadUntilOptions<ResultOf<Name>> = {},
) {
  const { controlPlane } = useSignedIn();
  const { enabled = true, refetchIntervalMs = false, refetchUntil = () => false } = options;
  return useQuery({
    queryKey: operationKey(name, args),
    queryFn: async ({ signal }) => await controlPlane.call(name, args, signal),
    enabled,
    refetchInterval: ({ state: { data } }) => (data !== undefined && refetchUntil(data) ? false : refetchIntervalMs),
  });
}

/** A whole list, however many pages it takes. */
export function useReadAll<Name extends ListName>(name: Name, args: ArgumentsOf<Name>, options: ReadOptions = {}) {
  const { controlPlane } = useSignedIn();
  return useQuery(readAll(controlPlane, { name, args, options }));
}

/** Whole lists of one operation, one for each set of arguments, as far as they have come. */
export function useReadEach<Name extends ListName>(
  name: Name,
  sets: readonly ArgumentsOf<Name>[],
  options: ReadOptions = {},
) {
  const { controlPlane } = useSignedIn();
  return useQueries({
    queries: sets.map((args) => readAll(controlPlane, { name, args, options })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
}

interface ReadAll<Name extends ListName> {
  readonly name: Name;
  readonly args: ArgumentsOf<Name>;
  readonly options: ReadOptions;
}

function readAll<Name extends ListName>(controlPlane: ControlPlane, { name, args, options }: ReadAll<Name>) {
  const { enabled = true, refetchIntervalMs = false } = options;
  return queryOptions({
    queryKey: [...operationKey(name, args), "all"],
    queryFn: async ({ signal }) => await controlPlane.callAll(name, args, signal),
    enabled,
    refetchInterval: refetchIntervalMs,
  });
}

interface Underway<Result> {
  readonly key: string;
  readonly result: Promise<Result>;
}

/**
 * An operation that changes something. Everything read before is asked for again, since one change may show in many places. The
 * same change while it is under way is the same call: a second click, which can come before the button is drawn as busy, makes
 * nothing twice. The same change once more after its answer was lost is the same call to the gateway: it has the same key.
 * @param complete Makes the whole of what is sent, for an operation that takes no part of it.
 */
export function useChange<Name extends OperationName>(name: Name, complete = asItIs) {
  const { controlPlane, unanswered } = useSignedIn();
  const cache = useQueryClient();
  const takesKey = useContext(OperationsContext)?.get(name)?.takesIdempotencyKey === true;
  const send = async (args: Arguments) =>
    takesKey
      ? await unanswered.use(
          { operation: name, args },
          async (key, same) => await controlPlane.callOnce(name, same, key),
        )
      : await controlPlane.call(name, args);
  const underway = useRef<Underway<ResultOf<Name>>>(undefined);
  return useMutation({
    mutationKey: operationKey(name),
    mutationFn: async (args: Arguments) => {
      const key = JSON.stringify(args);
      if (underway.current?.key !== key) {
        underway.current = {
          key,
          result: complete(args).then(send),
        };
      }
      const { current } = underway;
      return await current.result.finally(() => {
        if (underway.current === current) underway.current = undefined;
      });
    },
    // Not awaited: what the caller does on success must not depend on whether its part is still there after the reading.
    onSuccess: () => void cache.invalidateQueries({ queryKey: ["operation"] }),
  });
}

async function asItIs(args: Arguments): Promise<Arguments> {
  return await Promise.resolve(args);
}

export type Operations = ReadonlyMap<string, Operation>;

export const OperationsContext = createContext<Operations | undefined>(undefined);

/** The operations that this person may call, by name. @throws Error outside `WithOperations` */
export function useOperations(): Operations {
  const operations = useContext(OperationsContext);
  if (operations === undefined) throw new Error("This part stands within WithOperations.");
  return operations;
}

/** Reads the operations that this person may call, and suspends until they are there. */
export function useReadOperations(): Operations {
  const { controlPlane } = useSignedIn();
  const { data } = useSuspenseQuery({
    queryKey: ["operations"],
    queryFn: async ({ signal }) =>
      new Map((await controlPlane.listOperations(signal)).map((operation) => [operation.name, operation])),
    staleTime: 60_000,
  });
  return data;
}

/** Whether this person may call an operation; what they may not is not offered. */
export function useMay(name: string): boolean {
  return useOperations().has(name);
}

const anything: JsonSchema = { type: "object", properties: {} };

/** The schema of an operation's arguments. */
export function useSchema(name: string): JsonSchema {
  const found = useOperations().get(name)?.inputSchema;
  const [known, setKnown] = useState(found ?? anything);
  // A form that is open keeps its fields, and what was typed, when the right to send it is lost.
  if (found !== undefined && found !== known) setKnown(found);
  return found ?? known;
}
