-- The running service may have a role that can change no table: these run with the rights of the role that applied this migration.
-- They touch partitions of gateway_log alone, whatever they are asked for.
CREATE FUNCTION make_gateway_log_partition(of_day DATE) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format(
    'CREATE TABLE %1$I.%2$I PARTITION OF %1$I.gateway_log FOR VALUES FROM (%3$L) TO (%4$L)',
    current_schema(), 'gateway_log_p' || to_char(of_day, 'YYYYMMDD'),
    to_char(of_day, 'YYYY-MM-DD') || 'T00:00Z', to_char(of_day + 1, 'YYYY-MM-DD') || 'T00:00Z'
  );
END $$;

CREATE FUNCTION drop_gateway_log_partition(of_day DATE) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('DROP TABLE %I.%I', current_schema(), 'gateway_log_p' || to_char(of_day, 'YYYYMMDD'));
END $$;

REVOKE EXECUTE ON FUNCTION make_gateway_log_partition(DATE), drop_gateway_log_partition(DATE) FROM PUBLIC;
