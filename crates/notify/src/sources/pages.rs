//! Pages of the dashboard that notifications lead to. `web/src/testing/links.test.ts` matches each
//! path with the dashboard's routes, and each way in words with its navigation.

use reeve_access::PublicUrl;

/// A page about one object; each holds the object's identifier.
pub(super) enum SourcePage<'a> {
    Recommendation(&'a str),
    Approval(&'a str),
    Anomaly(&'a str),
    Incident(&'a str),
    AttackChain(&'a str),
    Firing(&'a str),
    Entry(&'a str),
    Budget(&'a str),
    ComplianceRun(&'a str),
    CustomRun(&'a str),
}

impl SourcePage<'_> {
    /// Returns the path with its query.
    fn path(&self) -> String {
        match self {
            SourcePage::Recommendation(id) => format!("/intelligence/recommendations/{id}"),
            SourcePage::Approval(id) => format!("/intelligence/approvals?approval={id}"),
            SourcePage::Anomaly(id) => format!("/intelligence/anomalies/{id}"),
            SourcePage::Incident(id) => format!("/intelligence/incidents/{id}"),
            SourcePage::AttackChain(id) => format!("/intelligence/exposure?chain={id}"),
            SourcePage::Firing(id) => format!("/audit/alerts?firing={id}"),
            SourcePage::Entry(id) => format!("/audit/{id}"),
            SourcePage::Budget(id) => format!("/estate/budgets/{id}"),
            SourcePage::ComplianceRun(id) => format!("/audit/compliance?run={id}"),
            SourcePage::CustomRun(id) => format!("/audit/reports?run={id}"),
        }
    }

    /// Returns the labels of the navigation that lead to the list with the object.
    const fn labels(&self) -> &'static str {
        match self {
            SourcePage::Recommendation(_) => "Intelligence Automation > Recommendations",
            SourcePage::Approval(_) => "Intelligence Automation > Approvals",
            SourcePage::Anomaly(_) => "Intelligence Automation > Anomalies",
            SourcePage::Incident(_) => "Intelligence Automation > Incidents",
            SourcePage::AttackChain(_) => "Intelligence Automation > Exposure",
            SourcePage::Firing(_) => "Audit Logging > Alerts",
            SourcePage::Entry(_) => "Audit Logging > Search",
            SourcePage::Budget(_) => "Estate > Budgets",
            SourcePage::ComplianceRun(_) => "Audit Logging > Compliance Reports",
            SourcePage::CustomRun(_) => "Audit Logging > Reports",
        }
    }

    /// Returns the place of the page: its address, or the way to it in words where no public
    /// address is known, because a path alone leads nowhere from a mail.
    pub(super) fn place(&self, public_url: Option<&PublicUrl>, name: &str) -> PagePlace {
        match public_url {
            Some(public_url) => PagePlace::Link(public_url.address_of(&self.path())),
            None => PagePlace::Words(format!("{} > {name}", self.labels())),
        }
    }
}

/// Place of a page, as a message names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PagePlace {
    /// Address that opens the page, below the public URL.
    Link(String),
    /// Labels to follow in the dashboard.
    Words(String),
}

impl PagePlace {
    /// Returns the address of the page; `None` while the public URL is unknown.
    pub(super) fn link(&self) -> Option<&str> {
        match self {
            PagePlace::Link(link) => Some(link),
            PagePlace::Words(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_begin_with_the_public_address_and_words_stand_in_for_it() {
        let public = PublicUrl::parse("https://reeve.acme.example/ops/");
        let link = PagePlace::Link(
            "https://reeve.acme.example/ops/intelligence/approvals?approval=a-1".to_owned(),
        );
        assert_eq!(
            SourcePage::Approval("a-1").place(public.as_ref(), "Stop web-7"),
            link
        );

        let words = PagePlace::Words("Intelligence Automation > Approvals > Stop web-7".to_owned());
        assert_eq!(SourcePage::Approval("a-1").place(None, "Stop web-7"), words);
    }
}
