# Converts the audit log to the Elastic Common Schema; what ECS has no field for is under scattergate.*:
#   jq -c -f ecs.jq audit.json
# docs/audit.md has the table.

# Leaves out unknown fields and empty objects.
def present:
  walk(if type == "object" then with_entries(select(.value != null and .value != {})) else . end);

select(.atype == "scattergate.finding")
| .param as $param
| ($param.ns | index(".")) as $dot
| {
    "@timestamp": .ts."$date",
    ecs: {version: "8.11.0"},
    message: "\($param.command) on \($param.ns): \($param.routing), \($param.reason), \($param.count) times",
    event: {
      kind: (if $param.action == "accepted" then "event" else "alert" end),
      category: ["database"],
      type: (if .result == 0 then ["access"] else ["access", "denied"] end),
      action: $param.command,
      outcome: (if .result == 0 then "success" else "failure" end),
      reason: $param.reason,
      code: (if .result == 0 then null else .result | tostring end),
      id: .uuid."$binary".base64,
      module: "scattergate",
      dataset: "scattergate.audit"
    },
    rule: {name: $param.rule, description: $param.why},
    server: {ip: .local.ip, port: .local.port, address: (.local.ip // .local.unix)},
    # If there are several callers, only scattergate.callers has them.
    source: (if ($param.callers | length) == 1 then {ip: $param.callers[0].remote} else null end),
    user: (if ($param.callers | length) == 1 then {name: $param.callers[0].user} else null end),
    scattergate: {
      db: (if $dot then $param.ns[:$dot] else null end),
      collection: (if $dot then $param.ns[$dot + 1:] else null end),
      command: $param.command,
      routing: $param.routing,
      bounds: $param.bounds,
      action: $param.action,
      # As text, because the fields of shapes and keys have the users' own names, which would become mappings.
      shard_key: (if $param.shardKey then $param.shardKey | tojson else null end),
      shape: (if $param.shape then $param.shape | tojson else null end),
      shape_hash: $param.shapeHash,
      query_shape_hash: $param.queryShapeHash,
      missing: $param.missing,
      fanout: $param.fanout,
      lints: $param.lints,
      suggestion: $param.suggestion,
      count: $param.count,
      duration: (if $param.durationMillis
                 then {max_ms: $param.durationMillis.max, total_ms: $param.durationMillis.total}
                 else null end),
      callers: $param.callers
    }
  }
| present
