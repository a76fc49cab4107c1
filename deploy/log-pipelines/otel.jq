# Converts the audit log to log records of OpenTelemetry's data model. Attributes have the names of its
# semantic conventions for databases, if these define one:
#   jq -c -f otel.jq audit.json
# docs/audit.md has the table.

# Leaves out unknown fields.
def present: with_entries(select(.value != null));

select(.atype == "scattergate.finding")
| .param as $param
| ($param.ns | index(".")) as $dot
| {
    Timestamp: .ts."$date",
    EventName: .atype,
    SeverityText: (if $param.action == "accepted" then "INFO" else "WARN" end),
    SeverityNumber: (if $param.action == "accepted" then 9 else 13 end),
    Body: "\($param.command) on \($param.ns): \($param.routing), \($param.reason), \($param.count) times",
    Attributes: ({
      "db.system.name": "mongodb",
      "db.namespace": (if $dot then $param.ns[:$dot] else null end),
      "db.collection.name": (if $dot then $param.ns[$dot + 1:] else null end),
      "db.operation.name": $param.command,
      "db.query.summary": (if $dot then "\($param.command) \($param.ns[$dot + 1:])" else null end),
      "db.query.text": (if $param.shape then $param.shape | tojson else null end),
      "db.response.status_code": (if .result != 0 then .result | tostring else null end),
      "error.type": (if .result != 0 then .result | tostring else null end),
      "server.address": (.local.ip // .local.unix),
      "server.port": .local.port,
      "log.record.uid": .uuid."$binary".base64,
      "scattergate.routing": $param.routing,
      "scattergate.bounds": $param.bounds,
      "scattergate.reason": $param.reason,
      "scattergate.action": $param.action,
      "scattergate.rule": $param.rule,
      "scattergate.why": $param.why,
      "scattergate.shape_hash": $param.shapeHash,
      "scattergate.query_shape_hash": $param.queryShapeHash,
      "scattergate.shard_key": (if $param.shardKey then $param.shardKey | tojson else null end),
      "scattergate.missing": $param.missing,
      "scattergate.fanout": $param.fanout,
      "scattergate.lints": $param.lints,
      "scattergate.suggestion": $param.suggestion,
      "scattergate.count": $param.count,
      "scattergate.duration.max": (if $param.durationMillis then $param.durationMillis.max / 1000 else null end),
      "scattergate.duration.total": (if $param.durationMillis then $param.durationMillis.total / 1000 else null end),
      "scattergate.callers": (if $param.callers then $param.callers | map(tojson) else null end)
    } | present)
  }
