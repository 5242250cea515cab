//! Event types: budgets and cost alerts.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Cost:
    BUDGET_CREATE = "budget.create", Info, Shared,
        "A budget was added.",
        ["resource.type", "resource.id", "changes.after"];
    BUDGET_MODIFY = "budget.modify", Info, Shared,
        "A budget was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    BUDGET_DELETE = "budget.delete", Info, Shared,
        "A budget was removed.",
        ["resource.type", "resource.id", "changes.before"];
    BUDGET_ALERT = "budget.alert", Medium, Shared,
        "The charges or the forecast of a budget's period reached one of its thresholds.",
        ["resource.type", "resource.id", "metadata.threshold_percent", "metadata.basis", "metadata.period_start"];
}
