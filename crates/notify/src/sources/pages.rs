//! Pages of the dashboard that notifications lead to. `web/src/testing/links.test.ts` matches each path with the dashboard's routes.

/// A page about one object; each holds the object's identifier.
pub(super) enum Page<'a> {
    Recommendation(&'a str),
    Approval(&'a str),
    Anomaly(&'a str),
    Firing(&'a str),
    Budget(&'a str),
    ComplianceRun(&'a str),
    CustomRun(&'a str),
}

impl Page<'_> {
    /// Returns the path with its query.
    fn path(&self) -> String {
        match self {
            Page::Recommendation(id) => format!("/intelligence/recommendations/{id}"),
            Page::Approval(id) => format!("/intelligence/approvals?approval={id}"),
            Page::Anomaly(id) => format!("/intelligence/anomalies/{id}"),
            Page::Firing(id) => format!("/audit/alerts?firing={id}"),
            Page::Budget(id) => format!("/estate/budgets/{id}"),
            Page::ComplianceRun(id) => format!("/audit/compliance?run={id}"),
            Page::CustomRun(id) => format!("/audit/reports?run={id}"),
        }
    }

    /// Returns the address of the page; `None` if the configuration names no public address, because a path alone leads nowhere from
    /// a mail.
    pub(super) fn link(&self, address_of: impl Fn(&str) -> String) -> Option<String> {
        let path = self.path();
        let address = address_of(&path);
        (address != path).then_some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn links_begin_with_the_public_address() {
        let public = |path: &str| format!("https://reeve.acme.example/ops{path}");
        let link = Page::Approval("a-1").link(public);
        assert_eq!(link.as_deref(), Some("https://reeve.acme.example/ops/intelligence/approvals?approval=a-1"));
        assert_eq!(Page::Budget("b-1").link(str::to_owned), None);
    }
}
