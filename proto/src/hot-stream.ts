export * from "../gen/gatehouse/rpc/v1/hot_stream.ts";
