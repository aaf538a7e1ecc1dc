export * from "../gen/gatehouse/logbook/v1/logbook.ts";
