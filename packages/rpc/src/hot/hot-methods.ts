import type { CompatServiceDefinition } from "nice-grpc";

/** Encodes and decodes messages of one type, as ts-proto generates it. */
interface MessageCodec {
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
  fromPartial(partial: unknown): unknown;
}

/** A unary method whose calls use the hot stream between processes. */
export interface HotMethod {
  /** The method's name in clients and implementations. */
  readonly name: string;
  /** `/package.Service/Method` */
  readonly path: string;
  readonly requestType: MessageCodec;
  readonly responseType: MessageCodec;
}

/** A method as described by ts-proto; options of contracts are bytes by tag. */
interface DescribedMethod {
  readonly name: string;
  readonly requestType: MessageCodec;
  readonly requestStream: boolean;
  readonly responseType: MessageCodec;
  readonly responseStream: boolean;
  readonly options?: { readonly _unknownFields?: Readonly<Record<number, readonly Uint8Array[]>> };
}

interface DescribedService {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, DescribedMethod>>;
}

/** Tag of the option `gatehouse.rpc.v1.hot`: its number, and the wire type of a bool (proto/gatehouse/rpc/v1/hot.proto). */
const hotTag = 50_201 << 3;

/** Methods that a service's contract marks as hot. */
export function listHotMethods(definition: CompatServiceDefinition): readonly HotMethod[] {
  const { fullName, methods } = definition as unknown as DescribedService;
  return Object.entries(methods)
    .filter(([, method]) => isHot(method))
    .map(([name, { name: nameInContract, requestType, responseType }]) => {
      return { name, path: `/${fullName}/${nameInContract}`, requestType, responseType };
    });
}

function isHot({ requestStream, responseStream, options }: DescribedMethod): boolean {
  return !requestStream && !responseStream && options?._unknownFields?.[hotTag]?.[0]?.[0] === 1;
}
