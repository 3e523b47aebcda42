//! The tables of tenants and keys as SeaORM entities. Never seen outside this crate.

pub(crate) mod tenant {
    //! A tenant.
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "tenants")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub(crate) id: Uuid,
        #[sea_orm(unique)]
        pub(crate) name: String,
        pub(crate) region: Option<String>,
        pub(crate) rate_per_second: Option<i64>,
        pub(crate) rate_burst: Option<i64>,
        pub(crate) created_at_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub(crate) enum Relation {
        #[sea_orm(has_many = "super::api_key::Entity")]
        Keys,
    }

    impl Related<super::api_key::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Keys.def()
        }
    }

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
        #[sea_orm(unique)]
        pub(crate) hash: Vec<u8>,
        pub(crate) shown: String,
        pub(crate) scopes: String,
        pub(crate) label: Option<String>,
        pub(crate) created_at_ms: i64,
        pub(crate) expires_at_ms: Option<i64>,
        pub(crate) revoked_at_ms: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub(crate) enum Relation {
        #[sea_orm(
            belongs_to = "super::tenant::Entity",
            from = "Column::TenantId",
            to = "super::tenant::Column::Id"
        )]
        Tenant,
    }

    impl Related<super::tenant::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Tenant.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}
