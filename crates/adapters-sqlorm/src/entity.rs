//! The tables of tenants and keys as SeaORM entities. Never seen outside this crate.

pub(crate) mod tenant {
    //! A tenant.
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "tenants")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub(crate) id: Uuid,
        pub(crate) name: String,
        pub(crate) region: Option<String>,
        pub(crate) identity: Option<String>,
        pub(crate) rate_per_second: Option<i64>,
        pub(crate) rate_burst: Option<i64>,
        pub(crate) time_zone: Option<String>,
        pub(crate) on_refused_consent: Option<String>,
        pub(crate) created_at_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub(crate) enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

pub(crate) mod api_key {
    //! A key: its hash, and everything an administrator may see of it.
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "api_keys")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub(crate) id: Uuid,
        pub(crate) tenant_id: Uuid,
        pub(crate) hash: Vec<u8>,
        pub(crate) shown: String,
        pub(crate) scopes: String,
        pub(crate) label: Option<String>,
        pub(crate) created_at_ms: i64,
        pub(crate) expires_at_ms: Option<i64>,
        pub(crate) revoked_at_ms: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub(crate) enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
