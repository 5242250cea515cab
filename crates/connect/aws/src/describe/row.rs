//! The form of a row: how one kind is listed, and where its attributes stand in the answer.

use reeve_estate::RelationKind;

/// Wire protocol of a service.
#[derive(Debug, Clone, Copy)]
pub(super) enum Protocol {
    /// AWS query: a form with `Action` and `Version`, answered in XML. EC2's variant differs in
    /// nothing that is read here.
    Query {
        /// `Version` of the API.
        version: &'static str,
    },
    /// AWS JSON: the operation in `X-Amz-Target`, a JSON object as body.
    Json {
        target: &'static str,
        /// Version of the protocol, `1.0` or `1.1`.
        version: &'static str,
    },
    /// GET of a path, answered in JSON or XML.
    Rest,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DescribeService {
    /// Name that requests are signed for, and the `service` of resources.
    pub(super) name: &'static str,
    /// First label of its address.
    pub(super) host: &'static str,
    pub(super) protocol: Protocol,
    /// `true` if one endpoint answers for all regions.
    pub(super) is_global: bool,
}

/// A call. Values are templates: `{Member}` is replaced by the item's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask {
    /// Permission that it needs.
    pub(super) permission: &'static str,
    /// Action; for [`Protocol::Rest`] the path.
    pub(super) action: &'static str,
    /// Parameters. In JSON, `name[]` is a list of all values of that name, and `outer.name` a
    /// member of an object.
    pub(super) parameters: &'static [(&'static str, &'static str)],
}

/// A further call for each item.
#[derive(Debug, Clone, Copy)]
pub(super) struct DescribeDetail {
    /// Member of the document that takes the answer. If empty, each value of the answer is an item,
    /// with the members of the one that was asked about.
    pub(super) into: &'static str,
    pub(super) ask: Ask,
    /// Path of the wanted part in the answer.
    pub(super) from: &'static str,
    /// Error codes that mean that there is none.
    pub(super) absent: &'static [&'static str],
    /// `true` if the answer is a list, however many elements it has.
    pub(super) is_list: bool,
    /// Path of the account that owns an item, if the call answers to the owner alone: the items of
    /// others are not asked about.
    pub(super) owner: &'static str,
    /// Number of items of a region that are asked about; the others lack the member.
    pub(super) most: usize,
    /// Path of texts in the item, for each of which the call is made with it as `{value}`; their
    /// answers are one list. Empty for a single call.
    pub(super) each: &'static str,
}

/// A call before the listing, once for the account and region, whose answer goes into the documents of
/// the items. A denied call leaves a mark in each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    /// Member of the documents that takes the answer.
    pub(super) into: &'static str,
    pub(super) service: DescribeService,
    pub(super) ask: Ask,
    /// Parameter that takes the token of the next page, and the path of that token in the answer.
    pub(super) next: (&'static str, &'static str),
    /// Error codes that mean that there is none.
    pub(super) absent: &'static [&'static str],
    pub(super) part: SharedPart,
    /// `true` if a failure of the call leaves a mark too: where the rest of the document is of other
    /// services, it is read without this one.
    pub(super) is_apart: bool,
}

/// Part of a shared answer that an item takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum SharedPart {
    /// The whole answer.
    Whole,
    /// First text at a path of the answer; left out if there is none.
    First(&'static str),
    /// List of the values at a path of the answer.
    All(&'static str),
    /// List of the values at the path `listed` of the answer whose member `of` is the item's `id`.
    Own {
        listed: &'static str,
        of: &'static str,
        id: &'static str,
    },
    /// `true` if the answer lists the item, and `false` if it does not.
    IsListed {
        /// Path of the identifiers in the answer.
        listed: &'static str,
        /// Path of the identifier of an item.
        id: &'static str,
    },
}

/// A kind and how it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindRow {
    /// Name of the kind.
    pub(super) kind: &'static str,
    pub(super) service: DescribeService,
    /// Call before the listing, whose answer is not read.
    pub(super) prepare: Option<Ask>,
    /// Calls before the listing that all items share, in order.
    pub(super) shared: &'static [Shared],
    pub(super) list: Ask,
    /// Error codes of the listing that mean that there is none. The absence is then described in
    /// the place of an item, by the document `{"Missing": true}`.
    pub(super) absent: &'static [&'static str],
    /// Parameter that takes the token of the next page, and the path of that token in the answer.
    pub(super) next: (&'static str, &'static str),
    /// Path of the items; the empty one is the answer itself.
    pub(super) items: &'static str,
    /// Name given to items that are text.
    pub(super) item_name: &'static str,
    /// Further calls for each item, in order.
    pub(super) details: &'static [DescribeDetail],
    /// Path of the region of an item of a global listing.
    pub(super) region: &'static str,
    /// Template of the identifier; `{account}` and `{region}` are known beside the item's members.
    pub(super) id: &'static str,
    /// Path of the name; the `Name` tag goes before it.
    pub(super) name: &'static str,
    /// Path of the tags: a list of keys and values, or an object.
    pub(super) tags: &'static str,
    /// Path of the provider's state.
    pub(super) state: &'static str,
    /// Path of the creation time.
    pub(super) created: &'static str,
    /// Relations: kind, path of the other resource, and a template for it (`{value}`, `{account}`,
    /// `{region}` and the item's members; empty is the value itself).
    pub(super) relations: &'static [(RelationKind, &'static str, &'static str)],
    /// Members that change without anybody changing the resource; they are no part of its
    /// configuration.
    pub(super) volatile: &'static [&'static str],
}

pub(super) const fn ask(
    permission: &'static str,
    action: &'static str,
    parameters: &'static [(&'static str, &'static str)],
) -> Ask {
    Ask {
        permission,
        action,
        parameters,
    }
}

/// A further call that is answered by one value.
pub(super) const fn detail(
    into: &'static str,
    ask: Ask,
    from: &'static str,
    absent: &'static [&'static str],
) -> DescribeDetail {
    DescribeDetail {
        into,
        ask,
        from,
        absent,
        is_list: false,
        owner: "",
        most: usize::MAX,
        each: "",
    }
}

/// A further call that is answered by a list.
pub(super) const fn list(
    into: &'static str,
    ask: Ask,
    from: &'static str,
    absent: &'static [&'static str],
) -> DescribeDetail {
    DescribeDetail {
        is_list: true,
        ..detail(into, ask, from, absent)
    }
}

/// A row to begin with.
pub(super) const fn row(
    kind: &'static str,
    service: DescribeService,
    list: Ask,
    items: &'static str,
    id: &'static str,
) -> KindRow {
    KindRow {
        kind,
        service,
        prepare: None,
        shared: &[],
        list,
        absent: &[],
        next: ("", ""),
        items,
        item_name: "",
        details: &[],
        region: "",
        id,
        name: "",
        tags: "",
        state: "",
        created: "",
        relations: &[],
        volatile: &[],
    }
}
