//! Pages of the dashboard that notifications lead to. `web/src/testing/links.test.ts` matches each
//! path with the dashboard's routes, and each way in words with its navigation.

use reeve_access::PublicUrl;

/// A page about one object; each holds the object's identifier.
pub(super) enum Page<'a> {
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

impl Page<'_> {
    /// Returns the path with its query.
    fn path(&self) -> String {
        match self {
            Page::Recommendation(id) => format!("/intelligence/recommendations/{id}"),
            Page::Approval(id) => format!("/intelligence/approvals?approval={id}"),
            Page::Anomaly(id) => format!("/intelligence/anomalies/{id}"),
            Page::Incident(id) => format!("/intelligence/incidents/{id}"),
            Page::AttackChain(id) => format!("/intelligence/exposure?chain={id}"),
            Page::Firing(id) => format!("/audit/alerts?firing={id}"),
            Page::Entry(id) => format!("/audit/{id}"),
            Page::Budget(id) => format!("/estate/budgets/{id}"),
            Page::ComplianceRun(id) => format!("/audit/compliance?run={id}"),
            Page::CustomRun(id) => format!("/audit/reports?run={id}"),
        }
    }

    /// Returns the labels of the navigation that lead to the list with the object.
    const fn labels(&self) -> &'static str {
        match self {
            Page::Recommendation(_) => "Intelligence Automation > Recommendations",
            Page::Approval(_) => "Intelligence Automation > Approvals",
            Page::Anomaly(_) => "Intelligence Automation > Anomalies",
            Page::Incident(_) => "Intelligence Automation > Incidents",
            Page::AttackChain(_) => "Intelligence Automation > Exposure",
            Page::Firing(_) => "Audit Logging > Alerts",
            Page::Entry(_) => "Audit Logging > Search",
            Page::Budget(_) => "Estate > Budgets",
            Page::ComplianceRun(_) => "Audit Logging > Compliance Reports",
            Page::CustomRun(_) => "Audit Logging > Reports",
        }
    }

    /// Returns the place of the page: its address, or the way to it in words where no public
    /// address is known, because a path alone leads nowhere from a mail.
    pub(super) fn place(&self, public_url: Option<&PublicUrl>, name: &str) -> Place {
        match public_url {
            Some(public_url) => Place::Link(public_url.address_of(&self.path())),
            None => Place::Words(format!("{} > {name}", self.labels())),
        }
    }
}

/// Place of a page, as a message names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Address that opens the page, below the public URL.
    Link(String),
    /// Labels to follow in the dashboard.
    Words(String),
}

impl Place {
    /// Returns the address of the page; `None` while the public URL is unknown.
    pub(super) fn link(&self) -> Option<&str> {
        match self {
            Place::Link(link) => Some(link),
            Place::Words(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_begin_with_the_public_address_and_words_stand_in_for_it() {
        let public = PublicUrl::parse("https://reeve.acme.example/ops/");
        let link = Place::Link(
            "https://reeve.acme.example/ops/intelligence/approvals?approval=a-1".to_owned(),
        );
        assert_eq!(
            Page::Approval("a-1").place(public.as_ref(), "Stop web-7"),
            link
        );

        let words = Place::Words("Intelligence Automation > Approvals > Stop web-7".to_owned());
        assert_eq!(Page::Approval("a-1").place(None, "Stop web-7"), words);
    }
}
