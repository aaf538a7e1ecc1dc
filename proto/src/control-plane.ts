export * from "../gen/gatehouse/control_plane/v1/principals.ts";
